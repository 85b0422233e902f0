import type { RevokeSessionBody } from './auth.args.js';

/** Whether an operation ends the session of this id, asked in that of the other. */
export type IsEnded<Input> = (id: string, own: string, input: Input) => boolean;

export const isNone: IsEnded<unknown> = () => false;
export const isAny: IsEnded<unknown> = () => true;
export const isOwn: IsEnded<unknown> = (id, own) => id === own;
export const isOther: IsEnded<unknown> = (id, own) => id !== own;
export const isNamed: IsEnded<RevokeSessionBody> = (id, _own, { token }) => id === token;
