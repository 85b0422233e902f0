/** Parameters as received: text and nested objects of text, whatever the SDK's types say. */
// biome-ignore lint/suspicious/noExplicitAny: each route reads them by the SDK's own parameter types
export type Params = any;

export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  /** Its parameters as Stripe documents them: see `shapeOfParams`. Others are refused. */
  params: string;
  answer(params: Params, id: string): unknown;
}

export const flag = (text: unknown): boolean | undefined => (text === undefined ? undefined : text === 'true');

/** Filters by the parameters that came. */
export const matching =
  (wanted: Record<string, unknown>) =>
  (object: object): boolean =>
    Object.entries(wanted).every(([key, value]) => value === undefined || (object as Record<string, unknown>)[key] === value);
