/** The values of one field of a protobuf message: bytes for texts, bytes and messages, numbers for everything else. */
type FieldValue = Buffer | bigint;

/** Decodes the wire format of one protobuf message into its fields, by number. Throws if the bytes are malformed. */
export function decodeMessage(bytes: Buffer): ReadonlyMap<number, readonly FieldValue[]> {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the protobuf message is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const readValue = (wireType: number): FieldValue => {
    if (wireType === 0) return readVarint();
    if (wireType === 1) return take(8).readBigUInt64LE();
    if (wireType === 2) return take(Number(readVarint()));
    if (wireType === 5) return BigInt(take(4).readUInt32LE());
    throw new Error(`the protobuf message has the unknown wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const field = key >> 3;
    fields.set(field, [...(fields.get(field) ?? []), readValue(key & 7)]);
  }
  return fields;
}
