import type { RevokeSessionBody } from './auth.args.js';

/** Whether an operation ends the session `id`, given that the request was sent in the session `own`. */
export type IsEnded<Input> = (id: string, own: string, input: Input) => boolean;

export const isNone: IsEnded<unknown> = () => false;
export const isAny: IsEnded<unknown> = () => true;
export const isOwn: IsEnded<unknown> = (id, own) => id === own;
export const isOther: IsEnded<unknown> = (id, own) => id !== own;
export const isNamed: IsEnded<RevokeSessionBody> = (id, _own, { token }) => id === token;
