/** The id of an object that Stripe names by its id, or sends whole where that was asked for. */
export const idOf = (reference: string | { id: string }): string => (typeof reference === 'string' ? reference : reference.id);
