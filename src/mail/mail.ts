/** A complete mail, ready to be sent. */
export interface Mail {
  /** Part of the Message-ID. A mail that is sent again, after a crash before the sending was recorded, has the same one. */
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  link: string | null;
}
