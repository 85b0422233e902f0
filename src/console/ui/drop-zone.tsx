import { type DragEvent, type ReactNode, useState } from 'react';

interface DropZoneProps {
  onFiles: (files: File[]) => void;
  isDisabled?: boolean;
  children: ReactNode;
}

/** Takes files that are dropped anywhere onto its content: a shortcut for the file fields in it, which the keyboard reaches. */
export function DropZone({ onFiles, isDisabled = false, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    if (!isDisabled && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the fields inside
    <div
      style={isOver && !isDisabled ? { outline: '2px dashed var(--mantine-primary-color-filled)', outlineOffset: 8 } : undefined}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
    >
      {children}
    </div>
  );
}
