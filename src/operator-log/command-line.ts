/** The actor of what is done on the command line, where nobody is signed in. */
export const commandLine = 'command line';
