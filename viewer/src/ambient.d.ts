// The bundled worker, which the build puts in as text.
declare module 'worker-source' {
  const source: string;
  export default source;
}
