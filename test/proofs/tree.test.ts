import { CheckpointKey, readCheckpoint, signCheckpoint, verifyEd25519 } from '../../src/proofs/log/checkpoint.js';
import { GrowingTree, hashLeaf, rootOf, type StoredNode, sha256 } from '../../src/proofs/log/tree.js';
import {
  consistencyRanges,
  hashesInTiles,
  inclusionRanges,
  openCheckpoint,
  type Range,
  verifyConsistency,
  verifyInclusion,
} from '../../src/proofs/verifier/verify-ledger.js';
import { newWitness } from './witness.js';

const hex = (text: string) => Buffer.from(text, 'hex');

/** As RFC 6962 defines it, word for word: nothing of ours is used. */
function rootByDefinition(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha256(Buffer.alloc(0));
  if (leaves.length === 1) return sha256(Buffer.concat([Buffer.of(0), leaves[0]!]));
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha256(Buffer.concat([Buffer.of(1), rootByDefinition(leaves.slice(0, k)), rootByDefinition(leaves.slice(k))]));
}

const sizes = Array.from({ length: 131 }, (_, size) => size);
const texts = sizes.map((n) => `leaf ${n}`);
const leaves = texts.map((text) => Buffer.from(text));
const leafHashes = texts.map(hashLeaf);
const roots = sizes.map((size) => rootByDefinition(leaves.slice(0, size)));

const hashOf = ({ start, end }: Range) => rootOf(leafHashes.slice(start, end));
const inclusionProof = (index: number, size: number) => inclusionRanges(index, { start: 0, end: size }).map(hashOf);
const consistencyProof = (from: number, to: number) => consistencyRanges(from, to).map(hashOf);
const head = (size: number, root = roots[size]!) => ({ size, root });

function withFlippedBit(hash: Buffer, bit: number): Buffer {
  const copy = Buffer.from(hash);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

/** The same proof with one bit flipped: in each hash in turn of small trees, in one hash of the others. */
const flipped = (proof: Buffer[], bit: number, size: number) =>
  proof
    .map((_, place) => place)
    .filter((place) => size <= 40 || place === bit % proof.length)
    .map((place) => proof.map((hash, n) => (n === place ? withFlippedBit(hash, bit) : hash)));

describe('the tree', () => {
  // The leaves and roots of Certificate Transparency's reference tests.
  const ctLeaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex);
  const ctRoots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  it('has the same roots as Certificate Transparency', () => {
    const hashes = ctLeaves.map((leaf) => sha256(Buffer.concat([Buffer.of(0), leaf])));
    expect(ctRoots.map((_, size) => rootOf(hashes.slice(0, size)).toString('hex'))).toEqual(ctRoots);
  });

  it('has the root of RFC 6962 at every size, however it is computed', () => {
    const grown = new GrowingTree();
    for (const size of sizes) {
      expect(rootOf(leafHashes.slice(0, size))).toEqual(roots[size]);
      expect(grown.root()).toEqual(roots[size]);
      if (size > 0) expect(hashOf({ start: 0, end: size })).toEqual(roots[size]);
      grown.append(leafHashes[size]!);
    }
  });

  it('continues from its stored bundles as if it had stayed in memory, and gives the hashes of its subtrees in tiles', async () => {
    const count = 256 * 256 + 300;
    const hashes = Array.from({ length: count }, (_, n) => hashLeaf(`${n}`));
    const stored: StoredNode[] = [];
    const whole = new GrowingTree();
    for (const hash of hashes) whole.append(hash, (node) => stored.push(node));
    expect(whole.root()).toEqual(rootOf(hashes));
    const ofLevel = (level: number) => (level === 0 ? hashes : stored.filter((node) => node.level === level).map(({ hash }) => hash));
    expect(ofLevel(16)).toEqual([rootOf(hashes.slice(0, 65_536))]);
    for (const size of [1, 255, 256, 257, 511, 65_535, 65_536, 65_792]) {
      const again = new GrowingTree();
      for (const hash of ofLevel(8).slice(0, Math.floor(size / 256))) again.append(hash, undefined, 1);
      for (const hash of hashes.slice(size - (size % 256), size)) again.append(hash);
      expect(again.root()).toEqual(rootOf(hashes.slice(0, size)));
      for (const hash of hashes.slice(size, size + 600)) again.append(hash);
      expect(again.root()).toEqual(rootOf(hashes.slice(0, size + 600)));
      const ranges = [...consistencyRanges(size, count), ...inclusionRanges(size - 1, { start: 0, end: count })];
      const readTile = async (level: number, number: number, width: number) =>
        Buffer.concat(ofLevel(8 * level).slice(number * 256, number * 256 + width));
      const inTiles = await hashesInTiles(ranges, count, readTile, sha256);
      expect(inTiles.map((hash) => Buffer.from(hash))).toEqual(ranges.map(({ start, end }) => rootOf(hashes.slice(start, end))));
    }
  });
});

describe('an inclusion proof', () => {
  it('verifies for every leaf of every size, and never with a flipped bit, another index, size, leaf or root', () => {
    let proofs = 0;
    const wrong: string[] = [];
    for (const size of sizes.slice(1)) {
      for (let index = 0; index < size; index++) {
        const proof = inclusionProof(index, size);
        const verifies = (given: Partial<{ leaf: Buffer; index: number; size: number; root: Buffer; proof: Buffer[] }>) =>
          verifyInclusion(
            given.leaf ?? leaves[index]!,
            given.index ?? index,
            head(given.size ?? size, given.root ?? roots[given.size ?? size]),
            given.proof ?? proof,
            sha256,
          );
        proofs++;
        if (!verifies({})) wrong.push(`${index} of ${size}`);
        const bit = (index * 131 + size * 7) % 256;
        const bad = [
          ...flipped(proof, bit, size).map((each) => ({ proof: each })),
          { index: index + 1 },
          { index: index - 1 },
          { index: size - 1 - index === index ? size : size - 1 - index },
          ...(size < 130 ? [{ size: size + 1 }] : []),
          { size: size - 1 },
          { leaf: Buffer.from(`leaf ${index + 1}`) },
          { root: withFlippedBit(roots[size]!, bit) },
          { proof: [...proof, roots[size]!] },
          ...(proof.length > 0 ? [{ proof: proof.slice(1) }, { proof: proof.slice(0, -1) }, { proof: [] }] : []),
        ];
        for (const [n, given] of bad.entries()) if (verifies(given)) wrong.push(`${index} of ${size}, way ${n}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(proofs).toBe(8515);
  });
});

describe('a consistency proof', () => {
  it('verifies between all sizes, and never with a flipped bit, another size or another root', () => {
    let proofs = 0;
    const wrong: string[] = [];
    for (const to of sizes) {
      for (let from = 0; from <= to; from++) {
        const proof = consistencyProof(from, to);
        const verifies = (given: Partial<{ from: number; to: number; older: Buffer; newer: Buffer; proof: Buffer[] }>) =>
          verifyConsistency(
            head(given.from ?? from, given.older ?? roots[given.from ?? from]),
            head(given.to ?? to, given.newer ?? roots[given.to ?? to]),
            given.proof ?? proof,
            sha256,
          );
        proofs++;
        if (!verifies({})) wrong.push(`${from} to ${to}`);
        const bit = (from * 131 + to * 7) % 256;
        const bad = [
          ...flipped(proof, bit, to).map((each) => ({ proof: each })),
          { older: withFlippedBit(roots[from]!, bit) },
          ...(from > 0 ? [{ newer: withFlippedBit(roots[to]!, bit) }] : []),
          ...(proof.length > 0 ? [{ proof: proof.slice(1) }, { proof: proof.slice(0, -1) }, { proof: [...proof, roots[to]!] }] : []),
          ...(from > 0 && from < to && to < 130
            ? [{ to: to + 1 }, { from: from + 1 }, { from: from - 1 }].filter((each) => each.from !== 0)
            : []),
        ];
        for (const [n, given] of bad.entries()) if (verifies(given)) wrong.push(`${from} to ${to}, way ${n}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(proofs).toBe(8646);
  });
});

describe('a checkpoint', () => {
  const secret = 'a secret of the tests, long enough';
  const origin = 'records.example/ledger/20261125T000000Z';
  const key = new CheckpointKey(secret);
  const checkpoint = { origin, size: 130, root: roots[130]!, time: 1_764_000_000_000_000 };

  it('is read by the code that reads C2SP’s example of a signed note', async () => {
    // The key and the note are of the specification; no checkpoint is in it, so only the signature is of interest here.
    const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    const signature = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
    const note = (text: string) => `${text}\n— example.com/foo ${signature}\n`;
    await expect(openCheckpoint(note('This is an example message.\n'), vkey, sha256, verifyEd25519)).rejects.toThrow(
      'has no origin, size and root',
    );
    await expect(openCheckpoint(note('This is another message.\n'), vkey, sha256, verifyEd25519)).rejects.toThrow('does not fit the key');
  });

  it('is refused with anything that C2SP forbids in it', async () => {
    const note = signCheckpoint(checkpoint, [key]);
    for (const wrong of [
      note.replace('\n130', '\n\n130'),
      note.replace('\n130', '\r\n130'),
      note.trimEnd(),
      `${note}\n`,
      `${note}garbage\n`,
      `${note}— a b\n`,
      note.replace(/— .*\n/, ''),
    ])
      await expect(openCheckpoint(wrong, null, sha256, undefined)).rejects.toThrow(/no(t a signed note|t base64|ne)/);
  });

  it('can also be signed by a witness, as in C2SP’s example of a cosignature', async () => {
    const note = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;
    const { vkey, lineFor } = newWitness('witness.example.com/w1');
    const [signed, backdated] = [lineFor(note, 1679315147n), lineFor(note, 1679315147n, 0n)];
    await expect(openCheckpoint(note + signed, vkey, sha256, verifyEd25519)).resolves.toMatchObject({ size: 20852163, time: null });
    await expect(openCheckpoint(note + backdated, vkey, sha256, verifyEd25519)).rejects.toThrow('does not fit the key');
    await expect(openCheckpoint(note, vkey, sha256, verifyEd25519)).rejects.toThrow('is not signed by the key');
  });

  it('names its key as C2SP does: the name, the start of a hash of name and key, and the key with its type', () => {
    const [name, id, ...rest] = key.vkeyOf(origin).split('+');
    const bytes = rest.join('+');
    const typed = Buffer.from(bytes, 'base64');
    expect(name).toBe(origin);
    expect(typed[0]).toBe(1);
    expect(id).toBe(
      sha256(Buffer.concat([Buffer.from(`${origin}\n`), typed]))
        .toString('hex')
        .slice(0, 8),
    );
  });

  it('is signed by the same key for as long as the secret is the same, and by no other', async () => {
    const note = signCheckpoint(checkpoint, [key]);
    expect(note.split('\n').slice(0, 5)).toEqual([origin, '130', roots[130]!.toString('base64'), 'time 1764000000000000', '']);
    await expect(readCheckpoint(note, [new CheckpointKey(secret).vkeyOf(origin)])).resolves.toMatchObject({ origin, size: 130 });
    const other = new CheckpointKey('another secret of the tests, as long').vkeyOf(origin);
    await expect(readCheckpoint(note, [other])).rejects.toThrow('is not signed by the key');
    await expect(readCheckpoint(note, [other, key.vkeyOf(origin)])).resolves.toMatchObject({ size: 130 });
    await expect(readCheckpoint(note.replace('130', '131'), [key.vkeyOf(origin)])).rejects.toThrow('does not fit the key');
  });
});
