const nothing = Buffer.alloc(0);

/** The bytes of a piece that the next chunks of a file continue. Its room doubles: to copy all for each chunk takes seconds for 40 MB. */
export class PendingBytes {
  private bytes: Buffer = nothing;
  /** Behind `bytes` there is room that nobody else uses. */
  private room: Buffer = nothing;

  get length(): number {
    return this.bytes.length;
  }

  /** All bytes up to the end of a chunk; they stay as they are until `keep` was called and this is called again. */
  followedBy(chunk: Buffer): Buffer {
    const { bytes } = this;
    if (bytes.length === 0) return chunk;
    const length = bytes.length + chunk.length;
    const isOwn = bytes.buffer === this.room.buffer && bytes.byteOffset === this.room.byteOffset;
    if (length > this.room.length) {
      const room = Buffer.allocUnsafeSlow(2 * length);
      bytes.copy(room);
      this.room = room;
    } else if (!isOwn) bytes.copy(this.room);
    chunk.copy(this.room, bytes.length);
    return this.room.subarray(0, length);
  }

  keep(bytes: Buffer): void {
    this.bytes = bytes;
  }

  /** Keeps bytes that are about to change. */
  keepCopy(bytes: Buffer): void {
    this.bytes = bytes.buffer === this.room.buffer ? bytes : Buffer.from(bytes);
  }
}
