import { type RefObject, useEffect, useRef, useState } from 'react';

/** The edges of a box behind which there is more to scroll to, as words: `right bottom`. */
export function useHiddenEdges(): { boxRef: RefObject<HTMLElement | null>; hiddenEdges: string } {
  const boxRef = useRef<HTMLElement>(null);
  const [hiddenEdges, setHiddenEdges] = useState('');
  useEffect(() => {
    const box = boxRef.current;
    if (!box) return;
    const look = () => setHiddenEdges(edgesOf(box));
    const observer = new ResizeObserver(look);
    observer.observe(box);
    for (const child of box.children) observer.observe(child);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, []);
  return { boxRef, hiddenEdges };
}

function edgesOf(box: HTMLElement): string {
  // Sizes are rounded to whole pixels, positions are not.
  const slack = 1;
  const right = box.scrollWidth - box.clientWidth - box.scrollLeft;
  const below = box.scrollHeight - box.clientHeight - box.scrollTop;
  return [box.scrollLeft > slack && 'left', right > slack && 'right', box.scrollTop > slack && 'top', below > slack && 'bottom']
    .filter(Boolean)
    .join(' ');
}
