// Passwords of tests guard nothing, so to hash one takes a hundred-and-twenty-eighth of the work, by the same function, here and in the
// servers that tests start: a thousand of them took a minute and a half. CommonJS, since what is imported keeps its first functions.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;
const quickScrypt = (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: options.N / 128 }, done);
// All test files of a worker share the module.
if (!scrypt.isQuick) {
  crypto.scrypt = Object.assign(quickScrypt, { isQuick: true });
  syncBuiltinESMExports();
}
