export function generateOperations(extensions?: string[]): Promise<string>;
