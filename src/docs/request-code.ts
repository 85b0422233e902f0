import type { Language } from './programs.js';

export interface ReadRequest {
  /** Path and query, without `$BASE_URL`. */
  path: string;
  headers?: Record<string, string>;
  /** A response header to print instead of the body. */
  prints?: string;
  /** The service refuses the request. */
  isRefused?: boolean;
  isPublic?: boolean;
  /** A raw token to write into the program; unset: it is in the variable `API_TOKEN`. */
  token?: string | undefined;
}

/** One request in several languages, with the same output. Each program runs unchanged and without dependencies. */
export function requestCode(request: ReadRequest): Record<Language, string> {
  return { curl: inCurl(request), javascript: inJavaScript(request), python: inPython(request) };
}

function inCurl({ path, headers = {}, prints, isPublic = false, token = '$API_TOKEN' }: ReadRequest): string {
  const options = [
    ...(isPublic ? [] : [`-H "Authorization: Bearer ${token}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(prints ? ['-o /dev/null', '-D -'] : []),
  ];
  return `${curl(options, path)}${prints ? ` | grep -i '^${prints}:'` : ''}`;
}

interface OtherRequest {
  method: string;
  path: string;
  credential: string;
  body: unknown;
}

/** A request of any operation in curl. A session's cookie is kept in a file. */
export function curlOf({ method, path, credential, body }: OtherRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(credential === 'bearer token' ? ['-H "Authorization: Bearer $API_TOKEN"'] : []),
    ...(path.startsWith('/api/auth') || credential === 'session cookie' ? ['-b cookies.txt -c cookies.txt'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ];
  return curl(options, path);
}

/** Between single quotes, a shell reads all but the single quote as it stands. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const curl = (options: string[], path: string): string =>
  `curl -s ${options.map((option) => `${option} \\\n  `).join('')}'$BASE_URL${path}'`;

function inJavaScript({ path, headers = {}, prints, isPublic = false, token }: ReadRequest): string {
  const lines = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the template of the example
    ...(isPublic ? [] : [`Authorization: ${token ? `'Bearer ${token}'` : '`Bearer ${process.env.API_TOKEN}`'}`]),
    ...Object.entries(headers).map(([name, value]) => `'${name}': '${value.replace(/[\\']/g, '\\$&')}'`),
  ];
  const options = lines.length > 0 ? `, {\n  headers: {\n${lines.map((line) => `    ${line},\n`).join('')}  },\n}` : '';
  const printed = prints ? `\`${prints}: \${response.headers.get('${prints}')}\`` : 'await response.text()';
  return `const response = await fetch('$BASE_URL${path}'${options});\nconsole.log(${printed});`;
}

function inPython({ path, headers = {}, prints, isRefused = false, isPublic = false, token }: ReadRequest): string {
  const lines = [
    ...(isPublic ? [] : [`"Authorization": ${token ? `"Bearer ${token}"` : '"Bearer " + os.environ["API_TOKEN"]'}`]),
    ...Object.entries(headers).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ];
  const imports = [...(isPublic || token ? [] : ['import os']), ...(isRefused ? ['import urllib.error'] : []), 'import urllib.request'];
  const options = lines.length > 0 ? `, headers={\n${lines.map((line) => `    ${line},\n`).join('')}}` : '';
  const printed = prints ? `print("${prints}:", response.headers["${prints}"])` : 'print(response.read().decode())';
  const body = `with urllib.request.urlopen(request) as response:\n    ${printed}`;
  const guarded = `try:\n    urllib.request.urlopen(request)\nexcept urllib.error.HTTPError as refusal:\n    print(refusal.read().decode())`;
  return `${imports.join('\n')}\n\nrequest = urllib.request.Request("$BASE_URL${path}"${options})\n${isRefused ? guarded : body}`;
}
