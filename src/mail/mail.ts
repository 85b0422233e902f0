/** A mail that only needs sending. */
export interface Mail {
  /** Makes a second delivery of it, after a crash between sending and forgetting, visible as the same message. */
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  link: string | null;
}
