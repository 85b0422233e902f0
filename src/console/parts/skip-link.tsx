import classes from './skip-link.module.css';

/** The first stop of the keyboard on every page. */
export function SkipLink() {
  return (
    <a href="#main" className={classes.skipLink}>
      Skip to content
    </a>
  );
}
