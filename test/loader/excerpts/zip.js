import { crc32, deflateRawSync } from 'node:zlib';

/** The bytes of an archive of files by name. */
export function zip(entries) {
  const [files, directory] = [[], []];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const whole = Buffer.from(content);
    const packed = deflateRawSync(whole);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(whole), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(whole.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    files.push(Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\0'), facts, place, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(Object.keys(entries).length, 8);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}
