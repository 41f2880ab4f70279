/** Returns a port that differs from `port` in one method. */
export function overrideMethod<Port extends object, Name extends keyof Port>(
  port: Port,
  name: Name,
  method: Port[Name],
): Port {
  return new Proxy(port, {
    get: (target, member) => {
      if (member === name) return method;
      const own = Reflect.get(target, member, target) as unknown;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
