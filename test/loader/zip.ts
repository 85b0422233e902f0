import { crc32, deflateRawSync } from 'node:zlib';

/** The bytes of a ZIP archive. Entries are stored as they are, unless `isDeflated`; `deflatedFrom`: they are deflated already, from that many bytes. */
export function zip(
  entries: Record<string, string | Buffer>,
  { deflatedFrom, isDeflated = false }: { deflatedFrom?: number; isDeflated?: boolean } = {},
): Buffer {
  const files = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const whole = Buffer.from(content);
    const bytes = isDeflated ? deflateRawSync(whole) : whole;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(deflatedFrom || isDeflated ? 8 : 0, 4);
    facts.writeUInt32LE(crc32(whole), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(deflatedFrom ?? whole.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    files.push(Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), bytes);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\0'), facts, position, Buffer.from(name));
    offset += 30 + name.length + bytes.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(Object.keys(entries).length, 8);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}
