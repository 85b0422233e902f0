import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** The current path. When it changes, the content is rendered again. */
  path?: string;
  fallback: (error: Error) => ReactNode;
  children: ReactNode;
}

/** Shows `fallback` if its content throws. React has no hook for this. */
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
