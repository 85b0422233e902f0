// Passwords of tests guard nothing, so to hash one takes a sixteenth of the work, by the same function: a thousand of them took a minute
// and a half. Servers that are processes of their own hash as they always do. CommonJS, since what is imported keeps its first functions.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;
const quickScrypt = (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: options.N / 16 }, done);
// All test files of a worker share the module.
if (!scrypt.isQuick) {
  crypto.scrypt = Object.assign(quickScrypt, { isQuick: true });
  syncBuiltinESMExports();
}
