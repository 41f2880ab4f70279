/** Returns the URL of a server that the tests of the cluster need. Throws an `Error` if the environment has none. */
export function requireServerUrl(name: 'MONGODB_URL' | 'REDIS_URL'): string {
  const url = process.env[name];
  if (url === undefined || url === '') {
    throw new Error(`${name} is not set. Tests of the cluster need the address of a real server.`);
  }
  return url;
}
