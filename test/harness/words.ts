/** The words of a text as they are written, for tables of what has no blanks. */
export const words = ({ raw }: TemplateStringsArray): string[] => raw[0]!.trim().split(/\s+/);
