import { Link } from 'wouter';
import { paths } from '../paths.js';
import classes from './brand.module.css';

export function Brand() {
  return (
    <Link href={paths.home} className={classes.brand}>
      <img src="/favicon.svg" alt="" width={26} height={26} />
      Parcel Records
    </Link>
  );
}
