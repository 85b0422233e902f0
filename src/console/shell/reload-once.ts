/**
 * Loads the document anew, which brings the scripts of the version that the server has now. Once a version in each tab: two servers
 * with different versions behind one address, or a file that is gone for good, must not reload for ever.
 */
export function reloadOnce(): boolean {
  // The name of this script holds a hash of the version's text.
  const mark = `reloaded ${import.meta.url}`;
  try {
    if (sessionStorage.getItem(mark)) return false;
    sessionStorage.setItem(mark, 'yes');
  } catch {
    return false; // where nothing can be noted, it could be a loop
  }
  window.location.reload();
  return true;
}
