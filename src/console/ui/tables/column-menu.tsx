import { useStoredState } from '../../hooks/use-stored-state.js';
import classes from './column-menu.module.css';

interface ChoosableColumn {
  title: string;
  isActions?: boolean;
  isOptional?: boolean;
}

/** The columns to show: the user's choice if `choiceName` is set and a choice was made, or those that are not optional. */
export function useShownColumns<Column extends ChoosableColumn>(columns: Column[], choiceName: string | undefined) {
  const [choice, choose] = useStoredState<Record<string, boolean>>(choiceName && `columns of ${choiceName}`, {});
  const isShown = ({ title, isOptional = false }: Column) => choice[title] ?? !isOptional;
  return {
    shown: columns.filter((column, index) => !isChoosable(column, index) || isShown(column)),
    toggle: (column: Column) => choose({ ...choice, [column.title]: !isShown(column) }),
  };
}

/** The row header and the actions are always shown. */
const isChoosable = ({ isActions = false }: ChoosableColumn, index: number): boolean => index > 0 && !isActions;

interface ColumnMenuProps<Column> {
  /** The name of the table. */
  label: string;
  columns: Column[];
  shown: Column[];
  onToggle: (column: Column) => void;
}

/** Chooses the columns of a table. It opens in place, so it needs no positioning and no closing. */
export function ColumnMenu<Column extends ChoosableColumn>({ label, columns, shown, onToggle }: ColumnMenuProps<Column>) {
  return (
    <details className={classes.menu}>
      <summary>Columns</summary>
      <fieldset className={classes.choices} aria-label={`Columns of ${label}`}>
        {columns.filter(isChoosable).map((column) => (
          <label key={column.title}>
            <input type="checkbox" checked={shown.includes(column)} onChange={() => onToggle(column)} /> {column.title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
