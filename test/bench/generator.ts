import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { percentile } from './figures.js';
import type { HttpOutcome, HttpPlan } from './load.js';

// Sends requests over a fixed number of connections, one at a time on each. It looks at nothing of an answer but its status
// and its length, so that it costs little beside what it measures. Without a rate, each connection sends as soon as it was
// answered. With one, requests are due at a constant rate whatever was answered, and the time of each counts from when it was due.

const { port, file, connections, seconds, rate }: HttpPlan = JSON.parse(process.argv[2]!);
const requests = readFileSync(file, 'latin1')
  .split(/(?<=\r\n\r\n)/)
  .map((text) => Buffer.from(text, 'latin1'));
const times: number[] = [];
let failed = 0;
let sent = 0;

class Connection {
  private dueAt = 0;
  private head = '';
  private bytesLeft: number | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly onAnswer: (connection: Connection) => void,
  ) {
    socket.setNoDelay(true).on('data', (chunk) => this.receive(chunk));
  }

  static async open(onAnswer: (connection: Connection) => void): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    // Otherwise it would wait for an answer for ever.
    socket.on('end', () => socket.destroy(new Error('the server closed a connection')));
    socket.on('error', (error) => {
      throw error;
    });
    await once(socket, 'connect');
    return new Connection(socket, onAnswer);
  }

  send(dueAt: number): void {
    this.dueAt = dueAt;
    this.socket.write(requests[sent++ % requests.length]!);
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    if (this.bytesLeft === null) {
      this.head += chunk.toString('latin1');
      const end = this.head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const received = this.head.length - end - 4;
      this.head = this.head.slice(0, end);
      if (Number(this.head.slice(9, 12)) >= 400) failed++;
      this.bytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(this.head)?.[1] ?? 0) - received;
    } else this.bytesLeft -= chunk.length;
    if (this.bytesLeft > 0) return;
    this.head = '';
    this.bytesLeft = null;
    times.push(performance.now() - this.dueAt);
    this.onAnswer(this);
  }
}

/** @returns the seconds it took */
async function asFastAsAnswered(): Promise<number> {
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  await new Promise<void>((resolve) => {
    let open = connections;
    const next = (connection: Connection) => {
      const now = performance.now();
      if (now < endAt) connection.send(now);
      else {
        connection.close();
        if (--open === 0) resolve();
      }
    };
    for (let i = 0; i < connections; i++) void Connection.open(next).then(next);
  });
  return (performance.now() - startedAt) / 1000;
}

/** @returns the seconds it took */
async function atConstantRate(perSecond: number): Promise<number> {
  const total = Math.round(perSecond * seconds);
  const due: number[] = [];
  const idle: Connection[] = [];
  const sendWhatIsDue = () => {
    // The one that has waited longest: servers close what nobody uses for some seconds.
    while (due.length > 0 && idle.length > 0) idle.shift()!.send(due.shift()!);
  };
  let resolve: () => void;
  const done = new Promise<void>((settle) => (resolve = settle));
  const release = (connection: Connection) => {
    idle.push(connection);
    if (times.length === total) resolve();
    sendWhatIsDue();
  };
  const all = await Promise.all(Array.from({ length: connections }, () => Connection.open(release)));
  idle.push(...all);
  const startedAt = performance.now();
  let scheduled = 0;
  const clock = setInterval(() => {
    const now = performance.now();
    while (scheduled < total && startedAt + (scheduled * 1000) / perSecond <= now) due.push(startedAt + (scheduled++ * 1000) / perSecond);
    sendWhatIsDue();
  }, 1);
  await done;
  clearInterval(clock);
  for (const connection of all) connection.close();
  return (performance.now() - startedAt) / 1000;
}

const took = await (rate === undefined ? asFastAsAnswered() : atConstantRate(rate));
const sorted = times.toSorted((a, b) => a - b);
const outcome: HttpOutcome = {
  count: times.length,
  seconds: took,
  failed,
  p50Ms: percentile(sorted, 0.5),
  p99Ms: percentile(sorted, 0.99),
};
console.log(JSON.stringify(outcome));
