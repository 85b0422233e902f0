// No test needs the Internet, so whatever calls it, or asks a name server for it, was told to by somebody else. Jest sets this up for each
// test file, and the servers that tests start load it first. CommonJS, since it has to be there before anything else is.
const dgram = require('node:dgram');
const dns = require('node:dns');
const { writeSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');

/** Where a server may call at all, of this machine; unset: anywhere on it. */
const ports = process.env.MAY_CALL_PORTS?.split(',');
const sign = Symbol.for('parcel-records.refused');
const loopback = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|(0*:)*:?0*1|(::ffff:)127\.\d+\.\d+\.\d+)$/i;

// All test files of a worker share these modules.
if (!net[sign]) {
  net[sign] = [];
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    const { path, host, port } = targetOf(Array.isArray(args[0]) ? args[0] : args);
    if (!path) refuseUnless(loopback.test(host) && (!ports || ports.includes(String(port))), `${host}:${port}`);
    return connect.apply(this, args);
  };
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const method of Object.getOwnPropertyNames(names).filter((name) => /^(lookup|resolve|reverse)/.test(name))) {
      wrap(names, method, (name) => refuseUnless(!name || net.isIP(name) > 0 || loopback.test(name), `the name server about ${name}`));
    }
  }
  for (const method of ['connect', 'send']) wrap(dgram.Socket.prototype, method, () => refuseUnless(false, 'UDP'));
  syncBuiltinESMExports();
}

if (typeof afterEach === 'function') {
  afterEach(() => {
    const called = net[sign].splice(0);
    if (called.length > 0) throw new Error(`called outside: ${called.join(', ')}`);
  });
}

/** What is to be called, of the forms that `connect` takes. */
function targetOf([first, second]) {
  const named = typeof first === 'object' ? first : Number.isNaN(Number(first)) ? { path: first } : { port: first, host: second };
  return { ...named, host: typeof named.host === 'string' ? named.host : 'localhost' };
}

function wrap(owner, method, check) {
  const own = owner[method];
  owner[method] = function (...args) {
    check(...args);
    return own.apply(this, args);
  };
}

/** A server ends at once, since it may well live with an error; within Jest the test fails. */
function refuseUnless(isAllowed, target) {
  if (isAllowed) return;
  net[sign].push(target);
  const fault = new Error(`called outside: ${target}`);
  if (typeof afterEach === 'function') throw fault;
  writeSync(2, `${fault.stack}\n`);
  process.exit(70);
}
