export default function Pages() {
  return null;
}
