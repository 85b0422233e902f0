import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFormLabels } from '../../src/admin/loads/form-labels.js';
import { projectFile } from '../../src/core/project-files.js';

describe('messages of the loader, in the console', () => {
  it('speak of its form, not of the command line', () => {
    expect(withFormLabels('No row matches --where.')).toBe('No row matches “Only rows where”.');
    expect(withFormLabels('more than the 5% that --max-rejects allows')).toBe('more than the 5% that “Rejected rows allowed” allows');
  });

  it('name no option that the form has no words for', () => {
    // They write to terminals only.
    const ofTerminals = ['commands.ts', 'profile-commands.ts', 'source-commands.ts', 'run-load.ts', 'show.ts', 'show-report.ts'];
    const folder = projectFile('src/loader');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !ofTerminals.includes(file),
    );
    const texts = files.flatMap(
      (file) => readFileSync(join(folder, file), 'utf8').match(/(['"`])(?:(?!\1).)*--[a-z](?:(?!\1).)*\1/g) ?? [],
    );
    expect(texts.length).toBeGreaterThan(10);
    // A word alone is an argument of another program.
    expect(texts.map(withFormLabels).filter((text) => / /.test(text) && /--[a-z]/.test(text))).toEqual([]);
  });
});
