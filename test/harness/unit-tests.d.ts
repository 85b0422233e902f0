export function unitTests(): string[];
