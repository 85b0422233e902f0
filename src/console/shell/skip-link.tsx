import classes from './skip-link.module.css';

/** A link past the navigation, the first element that takes the focus on every page. */
export function SkipLink() {
  return (
    <a href="#main" className={classes.skipLink}>
      Skip to content
    </a>
  );
}
