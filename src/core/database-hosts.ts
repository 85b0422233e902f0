/**
 * The URL once for each of its hosts, as libpq reads several: `postgres://a:5432,b:5433/db` or `postgres:///db?host=a,b&port=5432,5433`.
 * The driver takes one host.
 */
export function hostUrls(url: string): string[] {
  const listed = /[?&]host=([^&]*)/.exec(url)?.[1];
  if (listed !== undefined) {
    const ports = /[?&]port=([^&]*)/.exec(url)?.[1]?.split(',') ?? [];
    return listed.split(',').map((host, index) => {
      const port = ports[index] ?? ports[0];
      return url.replace(/([?&]host=)[^&]*/, `$1${host}`).replace(/([?&]port=)[^&]*/, `$1${port}`);
    });
  }
  const [, before, hosts, after] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`);
}
