const nothing = Buffer.alloc(0);

/** Bytes that continue in the next chunk. The buffer doubles when it grows: copying everything per chunk takes seconds for 40 MB. */
export class PendingBytes {
  private bytes: Buffer = nothing;
  /** Our own buffer, with spare capacity after `bytes`. */
  private buffer: Buffer = nothing;

  get length(): number {
    return this.bytes.length;
  }

  /** The pending bytes followed by a chunk. Valid until the next call after `keep`. */
  followedBy(chunk: Buffer): Buffer {
    const { bytes } = this;
    if (bytes.length === 0) return chunk;
    const length = bytes.length + chunk.length;
    const isOwn = bytes.buffer === this.buffer.buffer && bytes.byteOffset === this.buffer.byteOffset;
    if (length > this.buffer.length) {
      const buffer = Buffer.allocUnsafeSlow(2 * length);
      bytes.copy(buffer);
      this.buffer = buffer;
    } else if (!isOwn) bytes.copy(this.buffer);
    chunk.copy(this.buffer, bytes.length);
    return this.buffer.subarray(0, length);
  }

  keep(bytes: Buffer): void {
    this.bytes = bytes;
  }

  /** Keeps bytes that are about to be overwritten. */
  keepCopy(bytes: Buffer): void {
    this.bytes = bytes.buffer === this.buffer.buffer ? bytes : Buffer.from(bytes);
  }
}
