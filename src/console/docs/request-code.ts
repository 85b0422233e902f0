import type { Language } from '../format/languages.js';

export interface ReadRequest {
  /** Path and query; `$BASE_URL` is put in front of it. */
  path: string;
  headers?: Record<string, string>;
  /** The header of the answer that is printed rather than the body. */
  prints?: string;
  /** The service refuses it. */
  isRefused?: boolean;
  isPublic?: boolean;
}

/** One request as programs of several languages, which all print the same. Each runs as it is, with what the language brings along. */
export function requestCode(request: ReadRequest): Record<Language, string> {
  return { curl: inCurl(request), javascript: inJavaScript(request), python: inPython(request) };
}

function inCurl({ path, headers = {}, prints, isPublic = false }: ReadRequest): string {
  const options = [
    ...(isPublic ? [] : ['-H "Authorization: Bearer $API_TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(prints ? ['-o /dev/null', '-D -'] : []),
  ];
  return `curl -s ${options.map((option) => `${option} \\\n  `).join('')}'$BASE_URL${path}'${prints ? ` | grep -i '^${prints}:'` : ''}`;
}

function inJavaScript({ path, headers = {}, prints, isPublic = false }: ReadRequest): string {
  const lines = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the template of the example
    ...(isPublic ? [] : ['Authorization: `Bearer ${process.env.API_TOKEN}`']),
    ...Object.entries(headers).map(([name, value]) => `'${name}': '${value}'`),
  ];
  const options = lines.length > 0 ? `, {\n  headers: {\n${lines.map((line) => `    ${line},\n`).join('')}  },\n}` : '';
  const printed = prints ? `\`${prints}: \${response.headers.get('${prints}')}\`` : 'await response.text()';
  return `const response = await fetch('$BASE_URL${path}'${options});\nconsole.log(${printed});`;
}

function inPython({ path, headers = {}, prints, isRefused = false, isPublic = false }: ReadRequest): string {
  const lines = [
    ...(isPublic ? [] : [`"Authorization": "Bearer " + os.environ["API_TOKEN"]`]),
    ...Object.entries(headers).map(([name, value]) => `"${name}": "${value}"`),
  ];
  const imports = [...(isPublic ? [] : ['import os']), ...(isRefused ? ['import urllib.error'] : []), 'import urllib.request'];
  const options = lines.length > 0 ? `, headers={\n${lines.map((line) => `    ${line},\n`).join('')}}` : '';
  const printed = prints ? `print("${prints}:", response.headers["${prints}"])` : 'print(response.read().decode())';
  const body = `with urllib.request.urlopen(request) as response:\n    ${printed}`;
  const guarded = `try:\n    urllib.request.urlopen(request)\nexcept urllib.error.HTTPError as refusal:\n    print(refusal.read().decode())`;
  return `${imports.join('\n')}\n\nrequest = urllib.request.Request("$BASE_URL${path}"${options})\n${isRefused ? guarded : body}`;
}
