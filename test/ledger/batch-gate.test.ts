import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchGate } from '../../src/ledger/batch-gate.js';

const maxBatch = 4;

/** A gate with what waits before it; its statements end when the test says so. */
class Lane {
  readonly batches: number[] = [];
  /** How much the gate before had set free when each batch passed. */
  readonly setFree: number[] = [];
  waiting = 0;
  private readonly ends: (() => void)[] = [];
  readonly gate: BatchGate;

  constructor(leader?: Lane) {
    this.gate = new BatchGate(maxBatch, (setFree) => this.start(setFree), leader?.gate);
  }

  arrive(count: number): void {
    this.waiting += count;
    this.gate.startSoon();
  }

  end(): void {
    this.ends.shift()!();
  }

  private start(setFree: number): void {
    while (this.waiting > 0 && this.gate.isOpen(this.waiting)) {
      const batch = Math.min(this.waiting, maxBatch);
      this.waiting -= batch;
      this.batches.push(batch);
      this.setFree.push(setFree);
      void this.gate.pass(new Promise<void>((resolve) => this.ends.push(resolve)));
    }
  }
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};

describe('A gate of batches', () => {
  // No statement is slow because the machine is.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets one pass alone at once, and together what arrived together', async () => {
    const lane = new Lane();
    lane.arrive(1);
    await turns(1);
    expect(lane.batches).toEqual([1]);
    lane.arrive(1);
    lane.arrive(2);
    await turns(3);
    expect(lane.batches).toEqual([1]);
    lane.end();
    await turns(2);
    expect(lane.batches).toEqual([1, 3]);
  });

  it('lets a whole batch pass beside a statement that is under way, and no third', async () => {
    const lane = new Lane();
    lane.arrive(1);
    await turns(1);
    lane.arrive(2 * maxBatch);
    await turns(2);
    expect(lane.batches).toEqual([1, maxBatch]);
  });

  it('stays closed while the gate that it follows has a statement under way', async () => {
    const claims = new Lane();
    const spends = new Lane(claims);
    claims.arrive(1);
    await turns(1);
    spends.arrive(1);
    await turns(3);
    expect(spends.batches).toEqual([]);
    claims.end();
    // what the claim set free arrives in the turn after it
    await turns(1);
    spends.arrive(2);
    await turns(2);
    expect(spends.batches).toEqual([3]);
  });

  it('starts what follows it before what its own statement set free is done', async () => {
    const claims = new Lane();
    const spends = new Lane(claims);
    claims.arrive(3);
    await turns(1);
    spends.arrive(1);
    await turns(2);
    claims.end();
    await Promise.resolve();
    await claims.gate.startFollower(3);
    expect(spends).toMatchObject({ batches: [1], setFree: [3] });
  });

  it('starts with all that follows from one event', async () => {
    const lane = new Lane();
    lane.waiting++;
    lane.gate.startNext();
    await Promise.resolve().then(() => {
      lane.waiting++;
      lane.gate.startNext();
    });
    await turns(1);
    expect(lane.batches).toEqual([2]);
  });

  it('lets a whole batch pass all the same', async () => {
    const claims = new Lane();
    const spends = new Lane(claims);
    claims.arrive(1);
    await turns(1);
    spends.arrive(maxBatch);
    await turns(2);
    expect(spends.batches).toEqual([maxBatch]);
  });

  describe('beside a statement that is slow', () => {
    it('lets a second pass what waits there already, and no third', async () => {
      const lane = new Lane();
      lane.arrive(1);
      await turns(1);
      jest.advanceTimersByTime(20);
      lane.arrive(1);
      await turns(2);
      expect(lane.batches).toEqual([1]);
      jest.advanceTimersByTime(30);
      await turns(2);
      expect(lane.batches).toEqual([1, 1]);
      lane.arrive(1);
      jest.advanceTimersByTime(1_000);
      await turns(2);
      expect(lane.batches).toEqual([1, 1]);
    });

    it('counts from the start of the last one', async () => {
      const lane = new Lane();
      lane.arrive(1);
      await turns(1);
      jest.advanceTimersByTime(40);
      lane.arrive(maxBatch);
      await turns(1);
      lane.end();
      lane.arrive(1);
      jest.advanceTimersByTime(40);
      await turns(2);
      expect(lane.batches).toEqual([1, maxBatch]);
      jest.advanceTimersByTime(10);
      await turns(2);
      expect(lane.batches).toEqual([1, maxBatch, 1]);
    });

    it('lets those pass that follow it', async () => {
      const claims = new Lane();
      const spends = new Lane(claims);
      claims.arrive(1);
      await turns(1);
      spends.arrive(1);
      await turns(2);
      expect(spends.batches).toEqual([]);
      jest.advanceTimersByTime(50);
      await turns(2);
      expect(spends.batches).toEqual([1]);
    });
  });
});
