const attribute = 'data-mantine-color-scheme';

/** Prints dark pages in light colours: browsers leave backgrounds out, and light text would stand on white paper. */
export function printInLightColours(): void {
  const { documentElement } = document;
  const print = window.matchMedia('print');
  let onScreen: string | null;
  print.addEventListener('change', () => {
    if (print.matches) {
      onScreen = documentElement.getAttribute(attribute);
      documentElement.setAttribute(attribute, 'light');
    } else if (onScreen) documentElement.setAttribute(attribute, onScreen);
  });
}
