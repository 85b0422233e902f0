export default function P(_: object) {
  return null;
}
