import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** The address; at another one the content is tried again. */
  path?: string;
  fallback: (error: Error) => ReactNode;
  children: ReactNode;
}

/** Shows `fallback` where its content threw an error. React offers no hook for this. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(previous: ErrorBoundaryProps) {
    if (this.state.error && previous.path !== this.props.path) this.setState({ error: null });
  }

  override render() {
    return this.state.error ? this.props.fallback(this.state.error) : this.props.children;
  }
}
