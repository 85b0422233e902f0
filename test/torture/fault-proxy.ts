import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from './random.js';

const keptAliveMs = 60_000;

/** Two sockets that talk through us, and what befalls them. */
interface Line {
  client: Socket;
  database: Socket;
  /** Nothing passes any more, in either direction, and neither end is told. */
  isDead: boolean;
  /** The answer to what was just sent will not arrive: the line is cut instead. */
  isLosingAnswer: boolean;
}

/**
 * Stands between a server and the database and does what networks do: reset, stall, swallow, delay. Everything that it
 * does is asked for from outside, so a run with the same seed asks for the same.
 */
export class FaultProxy {
  private readonly lines = new Set<Line>();
  private readonly sockets = new Set<Socket>();
  private delayMs = 0;
  private isStalled = false;
  private swallowsEverything = false;
  private armed: { text: string; loses: 'statement' | 'answer' } | null = null;
  private resumed = Promise.resolve();
  private resume = () => {};

  private constructor(
    private readonly server: Server,
    private readonly databasePort: number,
  ) {
    server.on('connection', (client: Socket) => this.accept(client));
  }

  static async open(databasePort: number): Promise<FaultProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, databasePort);
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** Both ends are told at once that the line is gone. */
  reset(random: Random, share: number): void {
    for (const line of this.lines) if (random.chance(share)) cut(line);
  }

  /** Everything waits, and arrives in order afterwards. */
  stall(): void {
    if (this.isStalled) return;
    this.isStalled = true;
    this.resumed = new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Lines die without a word, those that are opened meanwhile too. What died stays dead. */
  blackhole(random: Random, share: number): void {
    this.swallowsEverything = share === 1;
    for (const line of this.lines) if (random.chance(share)) line.isDead = true;
  }

  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /**
   * The next statement whose bytes hold this text is lost on its way, or arrives, is carried out, and its answer is lost.
   * The latter is the unknown commit: done, and nobody knows.
   */
  lose(loses: 'statement' | 'answer', text: string): void {
    this.armed = { text, loses };
  }

  /** Ends every disturbance; lines that died stay dead. */
  calm(): void {
    this.isStalled = false;
    this.resume();
    this.delayMs = 0;
    this.swallowsEverything = false;
    this.armed = null;
  }

  async close(): Promise<void> {
    this.calm();
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private accept(client: Socket): void {
    const line: Line = {
      client,
      database: connect(this.databasePort, '127.0.0.1'),
      isDead: this.swallowsEverything,
      isLosingAnswer: false,
    };
    this.lines.add(line);
    for (const socket of [client, line.database]) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => cut(line));
      socket.on('close', () => {
        this.lines.delete(line);
        this.sockets.delete(socket);
        if (!line.isDead) cut(line);
        // as Postgres does that hears nothing of the other end any more (database/session.ts)
        else if (socket === client) setTimeout(() => line.database.destroy(), keptAliveMs).unref();
      });
    }
    this.pump(client, line.database, line, (bytes) => this.isStatementLost(line, bytes));
    this.pump(line.database, client, line, () => line.isLosingAnswer);
  }

  /** Hands on piece by piece; the next is read when the one before has gone, so the order stays. */
  private pump(from: Socket, to: Socket, line: Line, isFatal: (bytes: Buffer) => boolean): void {
    from.on('data', async (bytes: Buffer) => {
      if (line.isDead) return;
      if (isFatal(bytes)) {
        cut(line);
        return;
      }
      from.pause();
      if (this.isStalled) await this.resumed;
      if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
      if (line.isDead || to.destroyed) return;
      if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
      from.resume();
    });
    from.on('end', () => {
      if (!line.isDead) to.end();
    });
  }

  private isStatementLost(line: Line, bytes: Buffer): boolean {
    if (!this.armed || !bytes.includes(this.armed.text)) return false;
    const { loses } = this.armed;
    this.armed = null;
    line.isLosingAnswer = loses === 'answer';
    return loses === 'statement';
  }
}

function cut(line: Line): void {
  line.client.resetAndDestroy();
  line.database.destroy();
}
