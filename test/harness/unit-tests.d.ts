export function unitTests(): string[];
export function isHeavy(file: string, text?: string): boolean;
