/** One value of INFO; undefined when this Redis does not tell it. */
export function infoField(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}
