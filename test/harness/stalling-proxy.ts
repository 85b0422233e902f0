import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const fields = ['SPANIC', 'VPANIC', 'C53100', 'Mcould not write to log file: No space left on device', '']
  .map((field) => `${field}\0`)
  .join('');
const noRoom = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(fields)]);
noRoom.writeInt32BE(noRoom.length - 1, 1);

/** A way to a server that can be made to swallow every byte of the connections it has, as a network does that drops packets, or to break. */
export class StallingProxy {
  private readonly sockets = new Set<Socket>();
  private isHanging = false;
  /** Whether every connection breaks, new ones at once. */
  isAway = false;
  /** How many connections broke at once. */
  refusals = 0;
  private cutAfter: { text: string; cut(client: Socket): void } | null = null;
  private readonly server = createServer((client) => {
    if (this.isAway) {
      this.refusals++;
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(this.target);
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      if (!this.isHanging) from.pipe(to);
    }
    client.on('data', (bytes: Buffer) => {
      if (this.cutAfter === null || !bytes.includes(this.cutAfter.text)) return;
      const { cut } = this.cutAfter;
      this.cutAfter = null;
      upstream
        .unpipe(client)
        .once('data', () => cut(client))
        .resume();
    });
  });

  private constructor(private readonly target: string) {}

  static async open(target: string): Promise<StallingProxy> {
    const proxy = new StallingProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** Whether the message that a cut waits for has not come yet. */
  get isArmed(): boolean {
    return this.cutAfter !== null;
  }

  /** The target's address by way of this. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(this.target), { host: `127.0.0.1:${port}` }).href;
  }

  /** From now on the connections there are carry nothing; new ones do. */
  stall(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** From now on nothing comes through, on new connections neither, as with a server that hangs. */
  hang(): void {
    this.isHanging = true;
    this.stall();
  }

  /** From now on every connection breaks, new ones at once, as with a server that is away; until `mend`. */
  cut(): void {
    this.isAway = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Lets new connections through, and forgets a cut that has not come yet. */
  mend(): void {
    this.isAway = false;
    this.cutAfter = null;
  }

  /** The next message that contains the text reaches the server, and its answer is lost together with the connection. */
  cutAnswerTo(text: string): void {
    this.cutAfter = { text, cut: (client) => client.destroy() };
  }

  /** The same, and everything else breaks with it, as with a server that dies right after; until `mend`. */
  cutAllAfter(text: string): void {
    this.cutAfter = { text, cut: () => this.cut() };
  }

  /** The same, and from then on nothing comes through at all: see `hang`. */
  hangAfter(text: string): void {
    this.cutAfter = { text, cut: () => this.hang() };
  }

  /** As `cutAnswerTo`, and the server says that it panics, for want of room on its disk, as the last thing that it says. */
  panicAfter(text: string): void {
    this.cutAfter = { text, cut: (client) => client.end(noRoom) };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
