import type { RevokeSessionBody } from './auth.args.js';

/** Whether an operation ends the session `id`, given that the request was sent in the session `own`. */
export type EndsSession<Input> = (id: string, own: string, input: Input) => boolean;

export const endsNone: EndsSession<unknown> = () => false;
export const endsAny: EndsSession<unknown> = () => true;
export const endsOwn: EndsSession<unknown> = (id, own) => id === own;
export const endsOthers: EndsSession<unknown> = (id, own) => id !== own;
export const endsNamed: EndsSession<RevokeSessionBody> = (id, _own, { token }) => id === token;
