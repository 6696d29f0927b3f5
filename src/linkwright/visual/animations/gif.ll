define void @nearest_colors(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2, ptr nocapture noundef readonly %3, ptr nocapture noundef writeonly %4) local_unnamed_addr #0 {
  %6 = icmp sgt i64 %1, 0
  br i1 %6, label %8, label %7

7:
  ret void

8:
  %9 = phi i64 [ %29, %8 ], [ 0, %5 ]
  %10 = phi ptr [ %30, %8 ], [ %0, %5 ]
  %11 = load i8, ptr %10, align 1
  %12 = lshr i8 %11, 3
  %13 = zext nneg i8 %12 to i64
  %14 = shl nuw nsw i64 %13, 10
  %15 = getelementptr inbounds i8, ptr %10, i64 1
  %16 = load i8, ptr %15, align 1
  %17 = lshr i8 %16, 3
  %18 = zext nneg i8 %17 to i64
  %19 = shl nuw nsw i64 %18, 5
  %20 = or disjoint i64 %19, %14
  %21 = getelementptr inbounds i8, ptr %10, i64 2
  %22 = load i8, ptr %21, align 1
  %23 = lshr i8 %22, 3
  %24 = zext nneg i8 %23 to i64
  %25 = or disjoint i64 %20, %24
  %26 = getelementptr inbounds i8, ptr %3, i64 %25
  %27 = load i8, ptr %26, align 1
  %28 = getelementptr inbounds i8, ptr %4, i64 %9
  store i8 %27, ptr %28, align 1
  %29 = add nuw nsw i64 %9, 1
  %30 = getelementptr inbounds i8, ptr %10, i64 %2
  %31 = icmp eq i64 %29, %1
  br i1 %31, label %7, label %8
}

define zeroext i1 @changed_box(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef writeonly %4) local_unnamed_addr #1 {
  store i64 %2, ptr %4, align 8
  %6 = getelementptr inbounds i8, ptr %4, i64 8
  store i64 %3, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %4, i64 24
  store i64 0, ptr %7, align 8
  %8 = getelementptr inbounds i8, ptr %4, i64 16
  store i64 0, ptr %8, align 8
  %9 = icmp sgt i64 %3, 0
  br i1 %9, label %10, label %14

10:
  %11 = icmp sgt i64 %2, 0
  br label %16

12:
  %13 = icmp sgt i64 %64, 0
  br label %14

14:
  %15 = phi i1 [ %13, %12 ], [ false, %5 ]
  ret i1 %15

16:
  %17 = phi i64 [ 0, %10 ], [ %64, %62 ]
  %18 = phi i64 [ %3, %10 ], [ %65, %62 ]
  %19 = phi i64 [ 0, %10 ], [ %66, %62 ]
  %20 = phi i64 [ %2, %10 ], [ %67, %62 ]
  %21 = phi i64 [ 0, %10 ], [ %63, %62 ]
  %22 = mul nsw i64 %21, %2
  %23 = getelementptr inbounds i8, ptr %0, i64 %22
  %24 = getelementptr inbounds i8, ptr %1, i64 %22
  br i1 %11, label %25, label %35

25:
  %26 = phi i64 [ %33, %32 ], [ 0, %16 ]
  %27 = getelementptr inbounds i8, ptr %23, i64 %26
  %28 = load i8, ptr %27, align 1
  %29 = getelementptr inbounds i8, ptr %24, i64 %26
  %30 = load i8, ptr %29, align 1
  %31 = icmp eq i8 %28, %30
  br i1 %31, label %32, label %35

32:
  %33 = add nuw nsw i64 %26, 1
  %34 = icmp eq i64 %33, %2
  br i1 %34, label %38, label %25

35:
  %36 = phi i64 [ 0, %16 ], [ %26, %25 ]
  %37 = icmp eq i64 %36, %2
  br i1 %37, label %38, label %40

38:
  %39 = add nuw nsw i64 %21, 1
  br label %62

40:
  %41 = phi i64 [ %42, %40 ], [ %2, %35 ]
  %42 = add nsw i64 %41, -1
  %43 = getelementptr inbounds i8, ptr %23, i64 %42
  %44 = load i8, ptr %43, align 1
  %45 = getelementptr inbounds i8, ptr %24, i64 %42
  %46 = load i8, ptr %45, align 1
  %47 = icmp eq i8 %44, %46
  br i1 %47, label %40, label %48

48:
  %49 = icmp slt i64 %36, %20
  br i1 %49, label %50, label %51

50:
  store i64 %36, ptr %4, align 8
  br label %51

51:
  %52 = phi i64 [ %36, %50 ], [ %20, %48 ]
  %53 = icmp sgt i64 %41, %19
  br i1 %53, label %54, label %55

54:
  store i64 %41, ptr %8, align 8
  br label %55

55:
  %56 = phi i64 [ %41, %54 ], [ %19, %51 ]
  %57 = icmp slt i64 %21, %18
  br i1 %57, label %58, label %59

58:
  store i64 %21, ptr %6, align 8
  br label %59

59:
  %60 = phi i64 [ %21, %58 ], [ %18, %55 ]
  %61 = add nuw nsw i64 %21, 1
  store i64 %61, ptr %7, align 8
  br label %62

62:
  %63 = phi i64 [ %39, %38 ], [ %61, %59 ]
  %64 = phi i64 [ %17, %38 ], [ %61, %59 ]
  %65 = phi i64 [ %18, %38 ], [ %60, %59 ]
  %66 = phi i64 [ %19, %38 ], [ %56, %59 ]
  %67 = phi i64 [ %20, %38 ], [ %52, %59 ]
  %68 = icmp eq i64 %63, %3
  br i1 %68, label %12, label %16
}

define nonnull ptr @compress_box(ptr nocapture noundef readonly %0, ptr noundef readonly %1, i64 noundef %2, ptr nocapture noundef readonly %3, i64 noundef %4, ptr nocapture noundef %5, ptr noundef %6) local_unnamed_addr #2 {
  store i8 0, ptr %6, align 1
  br label %29

8:
  %9 = getelementptr inbounds i8, ptr %6, i64 1
  %10 = load i8, ptr %6, align 1
  %11 = icmp eq i8 %10, -1
  br i1 %11, label %12, label %14

12:
  %13 = getelementptr inbounds i8, ptr %6, i64 2
  store i8 0, ptr %9, align 1
  br label %14

14:
  %15 = phi i8 [ 0, %12 ], [ %10, %8 ]
  %16 = phi ptr [ %9, %12 ], [ %6, %8 ]
  %17 = phi ptr [ %13, %12 ], [ %9, %8 ]
  %18 = getelementptr inbounds i8, ptr %17, i64 1
  store i8 0, ptr %17, align 1
  %19 = add nuw i8 %15, 1
  store i8 %19, ptr %16, align 1
  %20 = getelementptr inbounds i8, ptr %3, i64 8
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds i8, ptr %3, i64 24
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %21, %23
  br i1 %24, label %25, label %34

25:
  %26 = getelementptr inbounds i8, ptr %3, i64 16
  %27 = icmp eq ptr %1, null
  %28 = trunc i64 %4 to i32
  br label %110

29:
  %30 = phi i64 [ 0, %7 ], [ %32, %29 ]
  %31 = getelementptr inbounds i64, ptr %5, i64 %30
  store i64 0, ptr %31, align 8
  %32 = add nuw nsw i64 %30, 1
  %33 = icmp eq i64 %32, 16384
  br i1 %33, label %8, label %29

34:
  %35 = phi i32 [ 1, %14 ], [ %132, %130 ]
  %36 = phi i32 [ 1, %14 ], [ %133, %130 ]
  %37 = phi ptr [ %16, %14 ], [ %134, %130 ]
  %38 = phi ptr [ %18, %14 ], [ %135, %130 ]
  %39 = phi i32 [ 4096, %14 ], [ %136, %130 ]
  %40 = phi i32 [ 9, %14 ], [ %137, %130 ]
  %41 = phi i32 [ 258, %14 ], [ %138, %130 ]
  %42 = shl i32 %39, %35
  %43 = or i32 %42, %36
  %44 = add nsw i32 %40, %35
  %45 = icmp sgt i32 %44, 7
  br i1 %45, label %46, label %67

46:
  %47 = load i8, ptr %37, align 1
  br label %48

48:
  %49 = phi i8 [ %63, %57 ], [ %47, %46 ]
  %50 = phi i32 [ %65, %57 ], [ %44, %46 ]
  %51 = phi i32 [ %64, %57 ], [ %43, %46 ]
  %52 = phi ptr [ %58, %57 ], [ %37, %46 ]
  %53 = phi ptr [ %61, %57 ], [ %38, %46 ]
  %54 = icmp eq i8 %49, -1
  br i1 %54, label %55, label %57

55:
  %56 = getelementptr inbounds i8, ptr %53, i64 1
  store i8 0, ptr %53, align 1
  br label %57

57:
  %58 = phi ptr [ %53, %55 ], [ %52, %48 ]
  %59 = phi ptr [ %56, %55 ], [ %53, %48 ]
  %60 = trunc i32 %51 to i8
  %61 = getelementptr inbounds i8, ptr %59, i64 1
  store i8 %60, ptr %59, align 1
  %62 = load i8, ptr %58, align 1
  %63 = add i8 %62, 1
  store i8 %63, ptr %58, align 1
  %64 = lshr i32 %51, 8
  %65 = add nsw i32 %50, -8
  %66 = icmp sgt i32 %50, 15
  br i1 %66, label %48, label %67

67:
  %68 = phi i32 [ %44, %34 ], [ %65, %57 ]
  %69 = phi i32 [ %43, %34 ], [ %64, %57 ]
  %70 = phi ptr [ %37, %34 ], [ %58, %57 ]
  %71 = phi ptr [ %38, %34 ], [ %61, %57 ]
  %72 = icmp ult i32 %41, 4096
  %73 = shl nuw i32 1, %40
  %74 = icmp eq i32 %41, %73
  %75 = select i1 %72, i1 %74, i1 false
  %76 = zext i1 %75 to i32
  %77 = add nsw i32 %40, %76
  %78 = shl nuw nsw i32 257, %68
  %79 = or i32 %69, %78
  %80 = add nsw i32 %77, %68
  %81 = icmp sgt i32 %80, 7
  br i1 %81, label %82, label %103

82:
  %83 = load i8, ptr %70, align 1
  br label %84

84:
  %85 = phi i8 [ %99, %93 ], [ %83, %82 ]
  %86 = phi i32 [ %101, %93 ], [ %80, %82 ]
  %87 = phi i32 [ %100, %93 ], [ %79, %82 ]
  %88 = phi ptr [ %94, %93 ], [ %70, %82 ]
  %89 = phi ptr [ %97, %93 ], [ %71, %82 ]
  %90 = icmp eq i8 %85, -1
  br i1 %90, label %91, label %93

91:
  %92 = getelementptr inbounds i8, ptr %89, i64 1
  store i8 0, ptr %89, align 1
  br label %93

93:
  %94 = phi ptr [ %89, %91 ], [ %88, %84 ]
  %95 = phi ptr [ %92, %91 ], [ %89, %84 ]
  %96 = trunc i32 %87 to i8
  %97 = getelementptr inbounds i8, ptr %95, i64 1
  store i8 %96, ptr %95, align 1
  %98 = load i8, ptr %94, align 1
  %99 = add i8 %98, 1
  store i8 %99, ptr %94, align 1
  %100 = lshr i32 %87, 8
  %101 = add nsw i32 %86, -8
  %102 = icmp sgt i32 %86, 15
  br i1 %102, label %84, label %103

103:
  %104 = phi i32 [ %80, %67 ], [ %101, %93 ]
  %105 = phi i32 [ %79, %67 ], [ %100, %93 ]
  %106 = phi ptr [ %70, %67 ], [ %94, %93 ]
  %107 = phi ptr [ %71, %67 ], [ %97, %93 ]
  %108 = icmp eq i32 %104, 0
  %109 = load i8, ptr %106, align 1
  br i1 %108, label %298, label %287

110:
  %111 = phi i64 [ %23, %25 ], [ %131, %130 ]
  %112 = phi i64 [ 1, %25 ], [ %139, %130 ]
  %113 = phi i32 [ 258, %25 ], [ %138, %130 ]
  %114 = phi i64 [ %21, %25 ], [ %140, %130 ]
  %115 = phi i32 [ 9, %25 ], [ %137, %130 ]
  %116 = phi i32 [ 4096, %25 ], [ %136, %130 ]
  %117 = phi ptr [ %18, %25 ], [ %135, %130 ]
  %118 = phi ptr [ %16, %25 ], [ %134, %130 ]
  %119 = phi i32 [ 1, %25 ], [ %133, %130 ]
  %120 = phi i32 [ 1, %25 ], [ %132, %130 ]
  %121 = mul nsw i64 %114, %2
  %122 = load i64, ptr %3, align 8
  %123 = load i64, ptr %26, align 8
  %124 = add nsw i64 %123, %121
  %125 = icmp slt i64 %122, %123
  br i1 %125, label %126, label %130

126:
  %127 = add nsw i64 %122, %121
  br label %142

128:
  %129 = load i64, ptr %22, align 8
  br label %130

130:
  %131 = phi i64 [ %111, %110 ], [ %129, %128 ]
  %132 = phi i32 [ %120, %110 ], [ %277, %128 ]
  %133 = phi i32 [ %119, %110 ], [ %278, %128 ]
  %134 = phi ptr [ %118, %110 ], [ %279, %128 ]
  %135 = phi ptr [ %117, %110 ], [ %280, %128 ]
  %136 = phi i32 [ %116, %110 ], [ %281, %128 ]
  %137 = phi i32 [ %115, %110 ], [ %282, %128 ]
  %138 = phi i32 [ %113, %110 ], [ %283, %128 ]
  %139 = phi i64 [ %112, %110 ], [ %284, %128 ]
  %140 = add nsw i64 %114, 1
  %141 = icmp slt i64 %140, %131
  br i1 %141, label %110, label %34

142:
  %143 = phi i64 [ %284, %276 ], [ %112, %126 ]
  %144 = phi i32 [ %283, %276 ], [ %113, %126 ]
  %145 = phi i64 [ %285, %276 ], [ %127, %126 ]
  %146 = phi i32 [ %282, %276 ], [ %115, %126 ]
  %147 = phi i32 [ %281, %276 ], [ %116, %126 ]
  %148 = phi ptr [ %280, %276 ], [ %117, %126 ]
  %149 = phi ptr [ %279, %276 ], [ %118, %126 ]
  %150 = phi i32 [ %278, %276 ], [ %119, %126 ]
  %151 = phi i32 [ %277, %276 ], [ %120, %126 ]
  br i1 %27, label %152, label %155

152:
  %153 = getelementptr inbounds i8, ptr %0, i64 %145
  %154 = load i8, ptr %153, align 1
  br label %161

155:
  %156 = getelementptr inbounds i8, ptr %1, i64 %145
  %157 = load i8, ptr %156, align 1
  %158 = getelementptr inbounds i8, ptr %0, i64 %145
  %159 = load i8, ptr %158, align 1
  %160 = icmp eq i8 %157, %159
  br i1 %160, label %164, label %161

161:
  %162 = phi i8 [ %154, %152 ], [ %159, %155 ]
  %163 = zext i8 %162 to i32
  br label %164

164:
  %165 = phi i32 [ %163, %161 ], [ %28, %155 ]
  %166 = icmp eq i32 %147, 4096
  br i1 %166, label %276, label %167

167:
  %168 = shl i64 %143, 20
  %169 = zext i32 %147 to i64
  %170 = shl nuw nsw i64 %169, 8
  %171 = or i64 %168, %170
  %172 = zext i32 %165 to i64
  %173 = or i64 %171, %172
  %174 = mul i64 %173, -7046029254386353131
  %175 = lshr i64 %174, 50
  %176 = getelementptr inbounds i64, ptr %5, i64 %175
  %177 = load i64, ptr %176, align 8
  %178 = lshr i64 %177, 12
  %179 = icmp ne i64 %178, %173
  %180 = lshr i64 %177, 32
  %181 = icmp eq i64 %180, %143
  %182 = select i1 %179, i1 %181, i1 false
  br i1 %182, label %183, label %194

183:
  %184 = phi i64 [ %186, %183 ], [ %175, %167 ]
  %185 = add nuw nsw i64 %184, 1
  %186 = and i64 %185, 16383
  %187 = getelementptr inbounds i64, ptr %5, i64 %186
  %188 = load i64, ptr %187, align 8
  %189 = lshr i64 %188, 12
  %190 = icmp ne i64 %189, %173
  %191 = lshr i64 %188, 32
  %192 = icmp eq i64 %191, %143
  %193 = select i1 %190, i1 %192, i1 false
  br i1 %193, label %183, label %194

194:
  %195 = phi i64 [ %175, %167 ], [ %186, %183 ]
  %196 = phi i64 [ %177, %167 ], [ %188, %183 ]
  %197 = phi i64 [ %178, %167 ], [ %189, %183 ]
  %198 = getelementptr inbounds i64, ptr %5, i64 %195
  %199 = icmp eq i64 %197, %173
  br i1 %199, label %200, label %203

200:
  %201 = trunc i64 %196 to i32
  %202 = and i32 %201, 4095
  br label %276

203:
  %204 = shl i32 %147, %151
  %205 = or i32 %204, %150
  %206 = add nsw i32 %146, %151
  %207 = icmp sgt i32 %206, 7
  br i1 %207, label %208, label %229

208:
  %209 = load i8, ptr %149, align 1
  br label %210

210:
  %211 = phi i8 [ %225, %219 ], [ %209, %208 ]
  %212 = phi i32 [ %227, %219 ], [ %206, %208 ]
  %213 = phi i32 [ %226, %219 ], [ %205, %208 ]
  %214 = phi ptr [ %220, %219 ], [ %149, %208 ]
  %215 = phi ptr [ %223, %219 ], [ %148, %208 ]
  %216 = icmp eq i8 %211, -1
  br i1 %216, label %217, label %219

217:
  %218 = getelementptr inbounds i8, ptr %215, i64 1
  store i8 0, ptr %215, align 1
  br label %219

219:
  %220 = phi ptr [ %215, %217 ], [ %214, %210 ]
  %221 = phi ptr [ %218, %217 ], [ %215, %210 ]
  %222 = trunc i32 %213 to i8
  %223 = getelementptr inbounds i8, ptr %221, i64 1
  store i8 %222, ptr %221, align 1
  %224 = load i8, ptr %220, align 1
  %225 = add i8 %224, 1
  store i8 %225, ptr %220, align 1
  %226 = lshr i32 %213, 8
  %227 = add nsw i32 %212, -8
  %228 = icmp sgt i32 %212, 15
  br i1 %228, label %210, label %229

229:
  %230 = phi i32 [ %206, %203 ], [ %227, %219 ]
  %231 = phi i32 [ %205, %203 ], [ %226, %219 ]
  %232 = phi ptr [ %149, %203 ], [ %220, %219 ]
  %233 = phi ptr [ %148, %203 ], [ %223, %219 ]
  %234 = icmp ult i32 %144, 4096
  br i1 %234, label %235, label %244

235:
  %236 = shl i64 %173, 12
  %237 = zext nneg i32 %144 to i64
  %238 = or disjoint i64 %236, %237
  store i64 %238, ptr %198, align 8
  %239 = add nuw nsw i32 %144, 1
  %240 = shl nuw i32 1, %146
  %241 = icmp eq i32 %144, %240
  %242 = zext i1 %241 to i32
  %243 = add nsw i32 %146, %242
  br label %276

244:
  %245 = shl nuw nsw i32 256, %230
  %246 = or i32 %231, %245
  %247 = add nsw i32 %230, %146
  %248 = icmp sgt i32 %247, 7
  br i1 %248, label %249, label %270

249:
  %250 = load i8, ptr %232, align 1
  br label %251

251:
  %252 = phi i8 [ %266, %260 ], [ %250, %249 ]
  %253 = phi i32 [ %268, %260 ], [ %247, %249 ]
  %254 = phi i32 [ %267, %260 ], [ %246, %249 ]
  %255 = phi ptr [ %261, %260 ], [ %232, %249 ]
  %256 = phi ptr [ %264, %260 ], [ %233, %249 ]
  %257 = icmp eq i8 %252, -1
  br i1 %257, label %258, label %260

258:
  %259 = getelementptr inbounds i8, ptr %256, i64 1
  store i8 0, ptr %256, align 1
  br label %260

260:
  %261 = phi ptr [ %256, %258 ], [ %255, %251 ]
  %262 = phi ptr [ %259, %258 ], [ %256, %251 ]
  %263 = trunc i32 %254 to i8
  %264 = getelementptr inbounds i8, ptr %262, i64 1
  store i8 %263, ptr %262, align 1
  %265 = load i8, ptr %261, align 1
  %266 = add i8 %265, 1
  store i8 %266, ptr %261, align 1
  %267 = lshr i32 %254, 8
  %268 = add nsw i32 %253, -8
  %269 = icmp sgt i32 %253, 15
  br i1 %269, label %251, label %270

270:
  %271 = phi i32 [ %247, %244 ], [ %268, %260 ]
  %272 = phi i32 [ %246, %244 ], [ %267, %260 ]
  %273 = phi ptr [ %232, %244 ], [ %261, %260 ]
  %274 = phi ptr [ %233, %244 ], [ %264, %260 ]
  %275 = add i64 %143, 1
  br label %276

276:
  %277 = phi i32 [ %151, %164 ], [ %151, %200 ], [ %230, %235 ], [ %271, %270 ]
  %278 = phi i32 [ %150, %164 ], [ %150, %200 ], [ %231, %235 ], [ %272, %270 ]
  %279 = phi ptr [ %149, %164 ], [ %149, %200 ], [ %232, %235 ], [ %273, %270 ]
  %280 = phi ptr [ %148, %164 ], [ %148, %200 ], [ %233, %235 ], [ %274, %270 ]
  %281 = phi i32 [ %165, %164 ], [ %202, %200 ], [ %165, %235 ], [ %165, %270 ]
  %282 = phi i32 [ %146, %164 ], [ %146, %200 ], [ %243, %235 ], [ 9, %270 ]
  %283 = phi i32 [ %144, %164 ], [ %144, %200 ], [ %239, %235 ], [ 258, %270 ]
  %284 = phi i64 [ %143, %164 ], [ %143, %200 ], [ %143, %235 ], [ %275, %270 ]
  %285 = add nsw i64 %145, 1
  %286 = icmp slt i64 %285, %124
  br i1 %286, label %142, label %128

287:
  %288 = icmp eq i8 %109, -1
  br i1 %288, label %289, label %291

289:
  %290 = getelementptr inbounds i8, ptr %107, i64 1
  store i8 0, ptr %107, align 1
  br label %291

291:
  %292 = phi ptr [ %107, %289 ], [ %106, %287 ]
  %293 = phi ptr [ %290, %289 ], [ %107, %287 ]
  %294 = trunc i32 %105 to i8
  %295 = getelementptr inbounds i8, ptr %293, i64 1
  store i8 %294, ptr %293, align 1
  %296 = load i8, ptr %292, align 1
  %297 = add i8 %296, 1
  store i8 %297, ptr %292, align 1
  br label %298

298:
  %299 = phi i8 [ %297, %291 ], [ %109, %103 ]
  %300 = phi ptr [ %295, %291 ], [ %107, %103 ]
  %301 = icmp eq i8 %299, 0
  br i1 %301, label %304, label %302

302:
  %303 = getelementptr inbounds i8, ptr %300, i64 1
  store i8 0, ptr %300, align 1
  br label %304

304:
  %305 = phi ptr [ %300, %298 ], [ %303, %302 ]
  ret ptr %305
}

attributes #0 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) }
attributes #1 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #2 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none) }
