import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Array;

/* What jHDF reads of netCDF-4 files: lines as values.py has them. */
public class Values {
    static PrintStream out;

    static void text(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            b.append(c == '"' || c == '\\' || c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        out.print(b.append('"'));
    }

    /* The values of an array of arrays in a row. */
    static boolean values(Object data, boolean first) {
        if (data != null && data.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(data); i++) {
                first = values(Array.get(data, i), first);
            }
            return first;
        }
        out.print(first ? "" : ", ");
        if (data == null || data instanceof Integer || data instanceof Long || data instanceof java.math.BigInteger
                || data instanceof Short || data instanceof Byte) {
            out.print(data);
        } else {
            text(data.toString());
        }
        return false;
    }

    static void dataset(String file, String path, Dataset d) {
        Object data = d.getData();
        out.print("[");
        text(file);
        out.print(", ");
        text(path);
        out.print(", [");
        values(d.getDimensions(), true);
        out.print("], [");
        values(data, true);
        out.println("]]");
    }

    static void group(String file, String path, Group g) {
        for (Node node : g.getChildren().values()) {
            if (node instanceof Group) {
                group(file, path + node.getName() + "/", (Group) node);
            } else if (node instanceof Dataset && ((Dataset) node).getSize() > 0) {
                dataset(file, path + node.getName(), (Dataset) node);
            }
        }
    }

    public static void main(String[] paths) throws Exception {
        out = new PrintStream(System.out, false, "UTF-8");
        for (String path : paths) {
            try (HdfFile f = new HdfFile(new File(path))) {
                group(new File(path).getName(), "/", f);
            }
        }
        out.flush();
    }
}
