/** Something that is not the same here and in Stripe. */
export interface Difference {
  /** Of what and by how much, so that what an operator has acknowledged is not named again, and what grows is. */
  id: string;
  accountId: string;
  text: string;
}
