import { HashingLine } from '../../src/accounts/auth/password-hash-queue.js';

/** A line whose work ends when it is told to. */
function slowLine() {
  const line = new HashingLine();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const outcomes = new Map<string, string>();
  const join = (name: string, source: string, account = name, hasLeft = () => false) => {
    const work = () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.push(resolve);
      });
    void line.run({ account, source, hasLeft }, work).then(
      () => outcomes.set(name, 'served'),
      (error) => outcomes.set(name, error.code),
    );
  };
  const remembered = () => (line as unknown as { turns: { size: number } }).turns.size;
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const serve = async (count: number) => {
    for (let served = 0; served < count; served++) {
      ends.shift()!();
      await settled();
    }
  };
  return { join, begun, outcomes, serve, settled, remembered };
}

describe('the line in which passwords are hashed', () => {
  it('takes two at a time', async () => {
    const { join, begun, serve } = slowLine();
    for (const name of ['a', 'b', 'c']) join(name, name);
    expect(begun).toEqual(['a', 'b']);
    await serve(1);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { flood: 'of one account from one address', source: 'there', account: 'one' },
    { flood: 'of many accounts from one address', source: 'there' },
    { flood: 'of one account from many addresses', account: 'one' },
  ])('lets others pass who come after a flood $flood', async ({ source, account }) => {
    const { join, begun, serve } = slowLine();
    for (let n = 0; n < 150; n++) join(`${n}`, source ?? `address ${n}`, account ?? `account ${n}`);
    join('somebody', 'elsewhere');
    await serve(1);
    expect(begun.at(-1)).toBe('somebody');
  });

  it('lets a neighbour at the same address pass, too, when the flood is of one account', async () => {
    const { join, begun, serve } = slowLine();
    for (let n = 0; n < 60; n++) join(`${n}`, 'there', 'one');
    await serve(20);
    join('neighbour', 'there');
    await serve(1);
    expect(begun.at(-1)).toBe('neighbour');
  });

  it('is full with two hundred, and turns away one of those who fill it', async () => {
    const { join, outcomes, begun, serve, settled } = slowLine();
    for (let n = 0; n < 202; n++) join(`${n}`, 'there');
    join('somebody', 'elsewhere');
    await settled();
    expect([...outcomes.values()]).toEqual(['unavailable']);
    expect(outcomes.has('somebody')).toBe(false);
    await serve(1);
    expect(begun.at(-1)).toBe('somebody');
  });

  it('remembers no more of a flood than it needs, however many accounts it names, and lets others pass', async () => {
    const { join, begun, serve, remembered } = slowLine();
    for (let n = 0; n < 12_000; n++) join(`${n}`, 'there');
    expect(remembered()).toBeLessThanOrEqual(10_000);
    join('somebody', 'elsewhere');
    await serve(1);
    expect(begun.at(-1)).toBe('somebody');
  });

  it('passes over who has left', async () => {
    const { join, begun, outcomes, serve } = slowLine();
    for (const name of ['a', 'b']) join(name, name);
    join('gone', 'gone', 'gone', () => true);
    join('c', 'c');
    await serve(2);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(outcomes.get('gone')).toBe('unavailable');
  });
});
