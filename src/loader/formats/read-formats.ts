/** What `load` reads, in words for people. */
export const readFormats =
  'GeoJSON, newline-delimited GeoJSON, Esri JSON, TopoJSON, CSV, Shapefile, dBASE, GeoPackage, FlatGeobuf, GeoParquet, KML, KMZ, GML and Excel (.xlsx), ' +
  'each also in .zip or .gz; file geodatabases (.gdb) and MapInfo files where ogr2ogr is installed';
