/** What was asked for takes a sign-in of a moment ago. */
export class StaleSignIn extends Error {}
