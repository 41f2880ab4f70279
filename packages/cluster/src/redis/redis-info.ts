/** One value of INFO; undefined when this Redis does not tell it. */
export function infoField(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

/** The memory Redis may use, by the text of its INFO: 0 where nothing bounds it, null where it does not tell. */
export function maxMemoryBytes(info: string): number | null {
  const text = infoField(info, 'maxmemory');
  return text === undefined ? null : Number(text);
}

/** The share of that memory which is in use; null where there is no such bound. */
export function memoryUsedRatio(info: string): number | null {
  const most = maxMemoryBytes(info);
  const used = infoField(info, 'used_memory');
  return most !== null && most > 0 && used !== undefined ? Number(used) / most : null;
}
