/** Props of a name field: the browser refuses an empty name with a readable message. The server checks the rest. */
export const nameRule = { required: true, pattern: '.*\\S.*', title: 'The name must not be empty' };
