/** The actor of actions on the command line, where nobody is signed in. */
export const commandLine = 'command line';
