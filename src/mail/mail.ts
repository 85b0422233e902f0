/** A complete mail, ready to send. */
export interface Mail {
  /** Part of the Message-ID. A mail that is sent again after a crash has the same id. */
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  link: string | null;
}
