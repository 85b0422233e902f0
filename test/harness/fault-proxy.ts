import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { closeAtEnd } from './closing.js';

const fields = ['SPANIC', 'VPANIC', 'C53100', 'Mcould not write to log file: No space left on device', '']
  .map((field) => `${field}\0`)
  .join('');
const noRoom = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(fields)]);
noRoom.writeInt32BE(noRoom.length - 1, 1);

/** Two sockets that talk through us, and what befalls them. */
interface Line {
  client: Socket;
  server: Socket;
  /** Nothing passes any more, in either direction, and neither end is told. */
  isDead: boolean;
  /** A fault in the place of the next answer. */
  insteadOfAnswer: (() => void) | null;
}

const all = () => true;

/** A way to a server that does what networks and dying servers do: reset, stall, swallow, delay, refuse. Only what it is asked for. */
export class FaultProxy {
  private readonly lines = new Set<Line>();
  private delayMs = 0;
  private isHanging = false;
  /** Whether new connections break at once. */
  isAway = false;
  /** How many connections broke at once. */
  refusals = 0;
  private armed: { text: string; isSent: boolean; befall(line: Line): void } | null = null;
  private resumed = Promise.resolve();
  private resume = () => {};
  private readonly listener = createServer((client) => this.accept(client));
  readonly close = closeAtEnd(() => this.end());

  private constructor(
    private readonly target: URL,
    private readonly keptAliveMs: number,
  ) {}

  /** @param keptAliveMs how long the server keeps a dead connection whose other end has gone */
  static async open(target: string, keptAliveMs = 0): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(target), keptAliveMs);
    proxy.listener.listen(0, '127.0.0.1');
    await once(proxy.listener, 'listening');
    return proxy;
  }

  /** The target's address by way of this. */
  get url(): string {
    const { port } = this.listener.address() as AddressInfo;
    return Object.assign(new URL(this.target), { host: `127.0.0.1:${port}` }).href;
  }

  /** Whether the message that a fault waits for has not come yet. */
  get isArmed(): boolean {
    return this.armed !== null;
  }

  /** Both ends are told at once that the line is gone. */
  reset(doesBreak = all): void {
    for (const line of this.lines) if (doesBreak()) cut(line);
  }

  /** From now on the connections there are carry nothing, without a word; new ones do. What died stays dead. */
  swallow(doesDie = all): void {
    for (const line of this.lines) if (doesDie()) line.isDead = true;
  }

  /** The same, and on new connections neither, as with a server that hangs. */
  hang(): void {
    this.isHanging = true;
    this.swallow();
  }

  /** Every connection breaks, new ones at once, as with a server that is away. */
  cut(): void {
    this.isAway = true;
    this.reset();
  }

  /** Everything waits, and arrives in order afterwards. */
  stall(): void {
    this.resume();
    this.resumed = new Promise((resolve) => (this.resume = resolve));
  }

  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /**
   * The next message that contains the text is lost on its way; or it arrives, is carried out, and its answer is lost together with the
   * connection. The latter is the unknown commit: done, and nobody knows.
   */
  lose(what: 'statement' | 'answer', text: string): void {
    this.armed = { text, isSent: what === 'answer', befall: cut };
  }

  /** The answer is lost, and everything else breaks with it, as with a server that dies right after. */
  cutAllAfter(text: string): void {
    this.armed = { text, isSent: true, befall: () => this.cut() };
  }

  /** The answer is lost, and from then on nothing comes through at all: see `hang`. */
  hangAfter(text: string): void {
    this.armed = { text, isSent: true, befall: () => this.hang() };
  }

  /** Instead of its answer the server says that it panics, for want of room on its disk, as the last thing that it says. */
  panicAfter(text: string): void {
    this.armed = { text, isSent: true, befall: ({ client }) => client.end(noRoom) };
  }

  /** Ends every disturbance, also one that has not come yet; lines that died stay dead. */
  mend(): void {
    Object.assign(this, { isAway: false, isHanging: false, delayMs: 0, armed: null });
    this.resume();
  }

  private async end(): Promise<void> {
    this.mend();
    const closed = once(this.listener, 'close');
    this.listener.close();
    this.reset();
    await closed;
  }

  private accept(client: Socket): void {
    if (this.isAway) {
      this.refusals++;
      client.destroy();
      return;
    }
    const { port, hostname } = this.target;
    const line: Line = { client, server: connect(Number(port), hostname), isDead: this.isHanging, insteadOfAnswer: null };
    this.lines.add(line);
    for (const socket of [client, line.server]) {
      socket.setNoDelay(true).on('error', () => cut(line));
      socket.on('close', () => {
        if (!line.isDead || socket === line.server) cut(line);
        else setTimeout(cut, this.keptAliveMs, line).unref();
        if (line.client.destroyed && line.server.destroyed) this.lines.delete(line);
      });
    }
    this.pump(client, line.server, line, (bytes) => this.isLost(line, bytes));
    this.pump(line.server, client, line, () => {
      const happen = line.insteadOfAnswer;
      if (happen) line.insteadOfAnswer = () => {};
      happen?.();
      return happen !== null;
    });
  }

  /** Hands on piece by piece; the next is read when the one before has gone, so the order stays. */
  private pump(from: Socket, to: Socket, line: Line, isLost: (bytes: Buffer) => boolean): void {
    from.on('data', async (bytes: Buffer) => {
      if (line.isDead || isLost(bytes)) return;
      from.pause();
      await this.resumed;
      if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
      if (line.isDead || to.destroyed) return;
      if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
      from.resume();
    });
    from.on('end', () => line.isDead || to.end());
  }

  private isLost(line: Line, bytes: Buffer): boolean {
    if (!this.armed || !bytes.includes(this.armed.text)) return false;
    const { isSent, befall } = this.armed;
    this.armed = null;
    if (isSent) line.insteadOfAnswer = () => befall(line);
    else befall(line);
    return !isSent;
  }
}

function cut({ client, server }: Line): void {
  client.resetAndDestroy();
  server.destroy();
}
