/** For the field of a name, whose empty form the browser then refuses in words for people; the rest of the rule is the server's. */
export const nameRule = { required: true, pattern: '.*\\S.*', title: 'The name must not be empty' };
